/** Flags of `lait run` that have a run recorded. */
export interface RecordOptions {
  checkpoint?: true;
  resume?: string;
  from?: string;
  keepItems?: true;
  maxToolRounds?: number;
}

/** True when a run goes on with recorded values instead of PROMPT. */
export function continuesRun({ resume, from }: RecordOptions): boolean {
  return resume !== undefined || from !== undefined;
}

/** True when a run is recorded. */
export function recordsRun(options: RecordOptions): boolean {
  const { checkpoint, keepItems, maxToolRounds } = options;
  return checkpoint === true || keepItems === true || maxToolRounds !== undefined || continuesRun(options);
}
