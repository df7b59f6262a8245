import { LaitError } from '../../errors/lait-error.js';
import { toDot } from './dot.js';
import type { Picture } from './picture.js';

/**
 * Draws a picture as SVG, with Graphviz in WebAssembly: no program needs to be installed. Throws a `LaitError` (code
 * `drawing_failed`) when Graphviz gives up, e.g. for want of memory.
 */
export async function toSvg(picture: Picture): Promise<string> {
  const { instance } = await import('@viz-js/viz');
  const graphviz = await instance();
  try {
    return graphviz.renderString(toDot(picture), { format: 'svg', engine: 'dot' });
  } catch (cause) {
    const message = 'Graphviz cannot draw this workflow; try another format, or draw its parts';
    throw new LaitError({ code: 'drawing_failed', message, cause });
  }
}
