import { exportSpans } from '../../observe/trace/export-spans.js';
import { otlpEndpoint } from '../../observe/trace/otlp-endpoint.js';
import { readTrace, spansOf } from '../../observe/trace/read-trace.js';
import type { CommandContext } from '../command-context.js';
import { requireFile } from '../require-file.js';
import { packageVersion } from '../version.js';

/**
 * `lait trace export`: sends a trace file to a collector. Throws what `requireFile`, `readTrace` and `exportSpans`
 * throw.
 */
export async function exportTrace(file: string, url: string, context: CommandContext): Promise<void> {
  const { output, signal, workingDirectory } = context;
  otlpEndpoint(url);
  const { lines, cut } = await readTrace(await requireFile(file, workingDirectory), { signal });
  if (cut) output.warning(`the last line of ${file} was cut off and is left out`);
  const spans = spansOf(lines);
  await exportSpans(spans, url, packageVersion());
  output.note(`sent ${spans.length} spans`);
}
