import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { LaitError } from '../../errors/lait-error.js';
import { toDot } from './dot.js';
import type { Picture } from './picture.js';

/** Graphviz recurses along the drawing: long workflows need more than the usual 4 MB. */
const stackMegabytes = 256;

/** What runs in the thread. It holds no import of ours, so that it works the same from sources and from the build. */
const thread = `
const { parentPort, workerData } = require('node:worker_threads');
const { instance } = require(workerData.module);
instance().then(
  (graphviz) => parentPort.postMessage({ svg: graphviz.renderString(workerData.dot, { format: 'svg', engine: 'dot' }) }),
).catch((error) => parentPort.postMessage({ problem: String(error && error.message) }));
`;

/**
 * Draws a picture as SVG, with Graphviz in WebAssembly: no program needs to be installed. The layout runs in a thread of
 * its own, so that it can be interrupted. Throws a `LaitError` (code `drawing_failed`) when Graphviz gives up, and the
 * signal's reason.
 */
export async function toSvg(picture: Picture, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  const module = createRequire(import.meta.url).resolve('@viz-js/viz');
  const worker = new Worker(thread, {
    eval: true,
    workerData: { module, dot: toDot(picture) },
    resourceLimits: { stackSizeMb: stackMegabytes },
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      worker.once('message', ({ svg, problem }: { svg?: string; problem?: string }) => {
        if (svg === undefined) reject(failed(problem));
        else resolve(svg);
      });
      worker.once('error', (error) => reject(failed(error.message)));
      worker.once('exit', () => reject(failed('the layout ended early')));
    });
  } finally {
    await worker.terminate();
  }
}

function failed(reason: string | undefined): LaitError {
  return new LaitError({
    code: 'drawing_failed',
    message: `Graphviz cannot draw this workflow (${reason}); try another format, or draw its parts`,
  });
}
