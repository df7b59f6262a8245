/** Where a value stands, for messages and for the paths of the steps inside it. */
export interface Place {
  /** The field as people call it, from the step or the file: `retry.max_attempts`, `switch[0].when`. */
  field: string;
  /** The path of the block that the value would be: `steps[2].switch[0].steps`. */
  block: string;
  /** The step's path and id, when the value belongs to a step. */
  path?: string;
  id?: string;
}

/** The place of a field inside the value at `place`. */
export function inside(place: Place, key: string): Place {
  const dot = (prefix: string) => (prefix === '' ? key : `${prefix}.${key}`);
  return { ...place, field: dot(place.field), block: dot(place.block) };
}
