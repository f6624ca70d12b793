#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { assumptionLines } from './assumption-table.js';
import { serve } from './serve.js';
import { UsageError } from './usage-error.js';

const help = `petstore-sim: a stateful stand-in for the Petstore service, with plans, rate limits, bans and a clock you control

Usage
  petstore-sim [serve] [options]   start the HTTP server
  petstore-sim assumptions         print what the simulator does where the interface document is silent

Options of serve
  --port N               port, 0 for a free one (default 4010)
  --host HOST            address to listen on (default: 127.0.0.1 and ::1)
  --scenario NAME|FILE   what to start with: a shipped scenario or a JSON file (default: default)
  --handlers FILE        a module that exports msw handlers of your own, asked before the API
  --seed N               seed of generated animals and shuffles
  --no-limits            switch the rate limits off
  --log FORM             pretty, json or silent (default pretty)
  --allowed-host NAME    another host name that clients may use; may be repeated
  --control-token TOKEN  what control requests must bring; needed on a host that is not loopback

  --help                 print this
  --version              print the version
`;

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [command = 'serve', ...rest] = positionals;
  if (values.help) return print(help);
  if (values.version) return print(`${version()}\n`);
  if (rest.length > 0) throw new UsageError(`expected one command, got also ${JSON.stringify(rest[0])}`);
  if (command === 'assumptions') return print(`${assumptionLines().join('\n')}\n`);
  if (command !== 'serve')
    throw new UsageError(
      `expected the command serve or assumptions, got ${JSON.stringify(command)}; see petstore-sim --help`,
    );
  await serve(values);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        scenario: { type: 'string' },
        handlers: { type: 'string' },
        seed: { type: 'string' },
        log: { type: 'string' },
        'no-limits': { type: 'boolean' },
        'allowed-host': { type: 'string', multiple: true },
        'control-token': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(message.replace(/ To specify a positional argument.*/s, '').replaceAll('\n', ' '));
  }
}

const print = (text: string) => {
  process.stdout.write(text);
};

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

main().catch((error) => {
  const isUsage = error instanceof UsageError;
  if (isUsage) process.stderr.write(`petstore-sim: ${error.message}\n`);
  else console.error(error);
  process.exitCode = isUsage ? 2 : 1;
});
