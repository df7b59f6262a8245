import type { RunEvent } from '../engine/events.js';
import type { Kinds } from '../kinds/kind.js';
import type { Services } from '../kinds/services.js';
import type { Plan } from '../plan/plan.js';
import type { SecretRegistry } from '../values/secrets.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import { GraphRunLog } from './graph-run-log.js';
import { NodePlaces } from './node-places.js';
import type { NewRunEvent, RunDefinition, RunRecord } from './run-record.js';
import type { RunChange, RunStore } from './run-store.js';

/** What working on runs needs of the world. */
export interface RunEnvironment {
  store: RunStore;
  kinds: Kinds;
  /** Services for one pass of a run of this definition. */
  services(definition: RunDefinition): Services;
  /** The plan of a run's pinned definition. */
  load(record: RunRecord): Promise<Plan>;
  /** Hides secret values in the log, summaries and errors. Values that runs work with are kept as they are. */
  secrets?: SecretRegistry;
  /** IANA name of the zone in which date expressions count; runs keep it. Default UTC. */
  timeZone?: string;
  /** Milliseconds between looks for a cancel from another process. Default 500. */
  pollMs?: number;
  /** Told of every engine event of the runs that are worked on here; what a run only replays is left out. */
  onEvent?: (runId: string, event: RunEvent, places: NodePlaces) => void;
  /** Further entries for the log of a run, made of its engine events. Asked anew for each pass. */
  furtherEntries?: (record: RunRecord, plan: Plan) => (event: RunEvent) => readonly NewRunEvent[];
}

/** The log of a run in the words of the graph form. */
export function runLogOf(record: RunRecord, plan: Plan, { kinds }: RunEnvironment): GraphRunLog {
  return new GraphRunLog(new NodePlaces(record.run_id, plan, kinds, record.answers));
}

/** The entry with its secrets masked. */
export function maskedEvent(event: NewRunEvent, { secrets }: RunEnvironment): NewRunEvent {
  if (secrets === undefined) return event;
  return { ...event, payload: secrets.maskValue(event.payload as JsonValue) as JsonObject };
}

/** The change with the secrets in its summaries masked. */
export function maskedChange<T extends RunChange>(change: T, { secrets }: RunEnvironment): T {
  if (secrets === undefined) return change;
  const { result_summary, error_summary } = change;
  return {
    ...change,
    ...(result_summary !== undefined && { result_summary: secrets.mask(result_summary) }),
    ...(error_summary !== undefined && { error_summary: secrets.mask(error_summary) }),
  };
}
