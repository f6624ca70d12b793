// Makes the calls that petstore-sim asks for with one client: node run.mjs NAME byDefault|setRight
import { makeCalls } from './calls.mjs';

const [name, setting] = process.argv.slice(2);
const client = await import(`./${name}.mjs`);
try {
  await makeCalls(client[setting], process.env);
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
