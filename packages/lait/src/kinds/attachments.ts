import { extname, resolve } from 'node:path';
import { StepError } from '../errors/errors.js';
import type { Expression } from '../expressions/expression.js';
import { readFileBytes, readTextFile } from '../files/read-file.js';
import type { NamedExpression, StepContext } from './kind.js';
import type { ChatContentPart, ChatMessage } from './services.js';

export interface AttachmentFields {
  files?: readonly Expression<string>[];
  images?: readonly Expression<string>[];
}

/**
 * A user message with its attachments: text files as code blocks behind the text, images as parts behind it. Paths are
 * relative to the working directory. Throws what `read-file.ts` throws, or `image_type_unknown`. Source: facts §4.
 */
export async function userMessage(
  text: string,
  { files = [], images = [] }: AttachmentFields,
  context: StepContext,
): Promise<ChatMessage> {
  const paths = files.map((file) => context.evaluate(file));
  const sources = images.map((image) => context.evaluate(image));
  const blocks: string[] = [text];
  for (const path of paths) blocks.push(await codeBlock(path, context));
  const content = blocks.join('\n\n');
  if (sources.length === 0) return { role: 'user', content };
  const parts: ChatContentPart[] = [{ type: 'text', text: content }];
  for (const source of sources) {
    parts.push({ type: 'image_url', image_url: { url: await imageUrl(source, context) } });
  }
  return { role: 'user', content: parts };
}

/** Whether files of this machine may be attached: an image may be an address, but its template can give a path, too. */
export function attachesFiles({ files = [], images = [] }: AttachmentFields): boolean {
  return files.length > 0 || images.length > 0;
}

/** The templates among a step's attachments. */
export function attachmentExpressions({ files = [], images = [] }: AttachmentFields): NamedExpression[] {
  return [
    ...files.map((expression, index) => ({ name: `files[${index}]`, expression })),
    ...images.map((expression, index) => ({ name: `images[${index}]`, expression })),
  ];
}

async function codeBlock(path: string, context: StepContext): Promise<string> {
  const { workingDirectory } = context.services.environment;
  const content = await readTextFile(resolve(workingDirectory, path), { signal: context.cancel.signal });
  const longestRun = Math.max(0, ...[...content.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(Math.max(3, longestRun + 1));
  const end = content === '' || content.endsWith('\n') ? '' : '\n';
  return `${fence}${path.replace(/[\r\n]+/g, ' ')}\n${content}${end}${fence}`;
}

/** An image that is no file of this machine. */
export function isImageAddress(source: string): boolean {
  return /^https?:\/\//i.test(source) || /^data:image\//i.test(source);
}

async function imageUrl(source: string, context: StepContext): Promise<string> {
  if (isImageAddress(source)) return source;
  const { workingDirectory } = context.services.environment;
  const bytes = await readFileBytes(resolve(workingDirectory, source), { signal: context.cancel.signal });
  const type = typeByContent(bytes) ?? typeByName[extname(source).toLowerCase()];
  if (type === undefined) {
    throw new StepError({
      code: 'image_type_unknown',
      message: `${source} is no image that models take: PNG, JPEG, GIF or WebP`,
    });
  }
  return `data:${type};base64,${bytes.toString('base64')}`;
}

function typeByContent(bytes: Buffer): string | undefined {
  const beginning = bytes.toString('latin1', 0, 12);
  if (beginning.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (beginning.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(beginning)) return 'image/gif';
  if (/^RIFF[\s\S]{4}WEBP/.test(beginning)) return 'image/webp';
  return undefined;
}

const typeByName: Readonly<Record<string, string | undefined>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};
