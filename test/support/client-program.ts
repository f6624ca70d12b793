/** Program of a client, whose `list()` asks the simulator of its environment, `base`, for pets, with its `key`. */
export const clientProgram = (text: string) => `
const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
const list = () => fetch(base + '/pets', { headers: { authorization: 'Bearer ' + key } });
${text}
`;

/** Program of a client that lists until it succeeds; `waitMs` is an expression over `retryAfter`, in seconds. */
export const retryingProgram = (waitMs: string, attempts = 5) =>
  clientProgram(`for (let attempt = 1; attempt <= ${attempts}; attempt++) {
  const response = await list();
  await response.text();
  if (response.ok) break;
  const retryAfter = Number(response.headers.get('retry-after'));
  await new Promise((resolve) => setTimeout(resolve, ${waitMs}));
}`);

/** Command that runs a program. */
export const runInNode = (program: string) => [process.execPath, '--input-type=module', '-e', program];

/** Command of a client, by the text of `clientProgram`. */
export const clientCommand = (text: string) => runInNode(clientProgram(text));
