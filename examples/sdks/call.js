/** Runs the call that the command line names, `read` or `write`, with JSON options for the SDK. Prints the result. */
export async function call(program) {
  const [name = 'read', options = '{}'] = process.argv.slice(2);
  const { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: key } = process.env;
  try {
    await program({ baseUrl, origin: new URL(baseUrl).origin, key, options: JSON.parse(options) })[name]();
    console.log('succeeded');
  } catch (error) {
    console.error(`failed: ${error?.name}: ${error?.message}`);
    process.exitCode = 1;
  }
}
