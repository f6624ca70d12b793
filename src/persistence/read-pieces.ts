import type { Scenario } from '../scenario/scenario-schema.js';
import type { Piece, ScenarioPiece, ServerPiece, SimulatorPiece, SnapshotPiece } from './piece.js';
import type { SimulatorParts, StateParts } from './restore-simulator.js';

/** State of a server, assembled from the parts of a snapshot in the server's log. */
export interface CollectedState {
  readonly server: ServerPiece;
  readonly scenarios: readonly Scenario[];
  /** State of the server's own simulator, followed by the state of each sandbox. */
  readonly simulators: readonly SimulatorParts[];
}

/**
 * Assembles the state of a server from the stored parts of a snapshot.
 * @throws {Error} if parts are missing or unknown
 */
export async function readPieces(pieces: AsyncIterable<unknown> | Iterable<unknown>): Promise<CollectedState> {
  let server: ServerPiece | undefined;
  const scenarios: { content: Scenario; pets: unknown[] | undefined }[] = [];
  const simulators: SimulatorParts[] = [];
  /**
   * Simulator or named snapshot that was read last from the stored state. The data and API keys that follow in the
   * stored state belong to it.
   */
  let current: StateParts<SimulatorPiece | SnapshotPiece> | undefined;
  for await (const each of pieces) {
    const piece = each as Piece;
    const simulator = simulators.at(-1);
    switch (piece.kind) {
      case 'server':
        server = piece;
        break;
      case 'scenario':
        scenarios.push(scenarioOf(piece));
        break;
      case 'scenarioPets':
        push(scenarios.at(-1)?.pets, piece.pets);
        break;
      case 'simulator': {
        const parts = { ...emptyParts(piece), entries: [], held: [], delayed: [], running: [], snapshots: [] };
        simulators.push(parts);
        current = parts;
        break;
      }
      case 'snapshot': {
        const parts = emptyParts(piece);
        simulator?.snapshots.push(parts);
        current = parts;
        break;
      }
      case 'data':
        if (current?.data.has(piece.service) === false) current.data.set(piece.service, []);
        push(current?.data.get(piece.service), piece.values);
        break;
      case 'keys':
      case 'unlistedKeys':
        push(current?.[piece.kind], piece.keys);
        break;
      case 'entries':
      case 'held':
        push(simulator?.[piece.kind], piece.entries);
        break;
      case 'delayed':
        push(simulator?.delayed, piece.requests);
        break;
      case 'running':
        push(simulator?.running, piece.requests);
        break;
      default:
        throw unreadable(`a known kind of part, got ${JSON.stringify((piece as Piece | null)?.kind)}`);
    }
  }
  if (server === undefined || simulators.length === 0) throw unreadable('a server and its simulator, got none');
  return {
    server,
    simulators,
    scenarios: scenarios.map(({ content, pets }) => ({ ...content, ...(pets && { pets }) }) as Scenario),
  };
}

const scenarioOf = ({ content, hasPets }: ScenarioPiece) => ({ content, pets: hasPets ? [] : undefined });

const emptyParts = <Head>(head: Head): StateParts<Head> => ({ head, data: new Map(), keys: [], unlistedKeys: [] });

function push<Item>(list: Item[] | undefined, items: readonly Item[]): void {
  if (list === undefined) throw unreadable('the header of each part before its lists');
  for (const item of items) list.push(item);
}

const unreadable = (expected: string) => new Error(`Failed to read the snapshot: expected ${expected}`);
