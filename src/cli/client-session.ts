import type { RunningServer } from '../node/http/server.js';
import type { Simulator } from '../simulator/simulator.js';
import type { Verdict } from '../verdict/judge-run.js';
import type { ClientEnd } from '../verdict/run.js';

/** A simulator that listens, for one run of a client. */
export interface ClientSession {
  readonly sim: Simulator;
  readonly server: Pick<RunningServer, 'baseUrl' | 'controlUrl'>;
  /** Judges the client, whose process has ended. */
  judge(end: ClientEnd): Verdict | Promise<Verdict>;
  close(): Promise<void>;
  /** The same where the client could not even be started. */
  discard?(): Promise<void>;
}

/** How a server listens to a client that is judged. */
export const listenOptions = { port: 0, holdRefusals: true };
