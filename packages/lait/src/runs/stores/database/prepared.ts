import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from 'kysely';
import type { Queries } from './database.js';

/** Stands for a parameter while a query is built. */
class Slot {
  constructor(readonly name: string) {}
}

/**
 * A query that is built once for each database: building one costs more than running it. `build` gets a stand-in for each
 * parameter, and must build the same query every time.
 */
export function prepared<P extends object, R>(
  build: (queries: Queries, slots: P) => Compilable<R>,
): (queries: Queries, parameters: P) => Promise<QueryResult<R>> {
  const built = new WeakMap<DialectAdapter, CompiledQuery<R>>();
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as P;
  return (queries, parameters) => {
    const { adapter } = queries.getExecutor();
    let query = built.get(adapter);
    if (query === undefined) {
      query = build(queries, slots).compile();
      built.set(adapter, query);
    }
    const values = query.parameters.map((value) =>
      value instanceof Slot ? parameters[value.name as keyof P] : value,
    );
    return queries.executeQuery({ ...query, parameters: values });
  };
}

/** Queries of different shapes, each prepared once; `make` makes the one of a shape. */
export function preparedByShape<P extends object, R>(
  make: (shape: string) => ReturnType<typeof prepared<P, R>>,
): (shape: string) => ReturnType<typeof prepared<P, R>> {
  const known = new Map<string, ReturnType<typeof prepared<P, R>>>();
  return (shape) => {
    let query = known.get(shape);
    if (query === undefined) {
      query = make(shape);
      known.set(shape, query);
    }
    return query;
  };
}
