/**
 * The application: makes the calls that the environment requires, with their concurrency, until one fails.
 * @param send makes one call, with all retries of the client; rejects, or resolves with a response
 * @throws the client's error, or an error for a response without success
 */
export async function makeCalls(send, environment, signal) {
  const {
    PETSTORE_BASE_URL,
    PETSTORE_API_KEY,
    PETSTORE_OPERATION,
    PETSTORE_CALLS,
    PETSTORE_PARALLEL = 1,
  } = environment;
  const isPost = PETSTORE_OPERATION === 'createPet';
  const url = `${PETSTORE_BASE_URL}/pets${PETSTORE_OPERATION === 'getPet' ? '/1' : ''}`;
  const method = isPost ? 'POST' : 'GET';
  const headers = {
    authorization: `Bearer ${PETSTORE_API_KEY}`,
    'content-type': 'application/json',
  };
  let number = 0;
  const caller = async () => {
    while (number < Number(PETSTORE_CALLS)) {
      number++;
      const body = isPost ? { body: `{"name":"Newcomer ${number}","categoryId":1}` } : {};
      const answer = await send({ url, method, headers, ...body, ...(signal && { signal }) });
      const status = answer?.status ?? answer?.statusCode ?? 200;
      if (answer?.bodyUsed === false) await answer.arrayBuffer();
      if (status >= 400) throw new Error(`the service answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: Number(PETSTORE_PARALLEL) }, caller));
}
