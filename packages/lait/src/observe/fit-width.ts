import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();

/** Cuts a line to a number of terminal columns with `…`; wide characters and emoji count as they are shown. */
export function fitWidth(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let width = 0;
  let result = '';
  for (const { segment } of segmenter.segment(text)) {
    const next = stringWidth(segment);
    if (width + next > columns - 1) break;
    width += next;
    result += segment;
  }
  return `${result}…`;
}
