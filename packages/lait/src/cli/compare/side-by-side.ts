import stringWidth from 'string-width';

/** Columns narrower than this are not worth reading: texts then stand below each other. */
const narrowest = 30;
const gap = '  ';

export interface Titled {
  title: string;
  text: string;
}

/**
 * Texts beside each other in a terminal of so many columns, wrapped at words and, where there are none, between
 * characters; wide characters and emoji count as they are shown. Below each other where there is no room.
 */
export function sideBySide(texts: readonly Titled[], columns: number): string {
  const width = Math.floor((columns - gap.length * (texts.length - 1)) / texts.length);
  if (texts.length < 2 || width < narrowest) return stacked(texts);
  const blocks = texts.map(({ title, text }) => [
    ...wrap(title, width),
    '─'.repeat(width),
    ...text.split('\n').flatMap((line) => wrap(line, width)),
  ]);
  const height = Math.max(...blocks.map((block) => block.length));
  const lines = Array.from({ length: height }, (_, row) =>
    blocks
      .map((block) => padded(block[row] ?? '', width))
      .join(gap)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

export function stacked(texts: readonly Titled[]): string {
  return texts.map(({ title, text }) => `=== ${title}\n${text}\n`).join('\n');
}

const segmenter = new Intl.Segmenter();

/** Lines of at most `width` columns. */
export function wrap(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\s)/)) {
    if (stringWidth((current + word).trimEnd()) <= width) {
      current += word;
      continue;
    }
    if (current !== '') lines.push(current.trimEnd());
    current = '';
    for (const { segment } of segmenter.segment(word)) {
      if (stringWidth(current + segment) > width && current !== '') {
        lines.push(current);
        current = '';
      }
      current += segment;
    }
  }
  lines.push(current.trimEnd());
  return lines;
}

function padded(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - stringWidth(line)));
}
