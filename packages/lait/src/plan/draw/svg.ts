import { toDot } from './dot.js';
import type { Picture } from './picture.js';

/** Draws a picture as SVG, with Graphviz in WebAssembly: no program needs to be installed. */
export async function toSvg(picture: Picture): Promise<string> {
  const { instance } = await import('@viz-js/viz');
  const graphviz = await instance();
  return graphviz.renderString(toDot(picture), { format: 'svg', engine: 'dot' });
}
