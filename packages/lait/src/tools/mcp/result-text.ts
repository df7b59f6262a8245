import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/**
 * What a model is shown of a tool's result: texts as they are, images, sound and binary resources described, links
 * named; the parts joined by line breaks. Without any part the structured content, as JSON.
 */
export function resultText({ content, structuredContent }: CallToolResult): string {
  if (content.length > 0) return content.map(partText).join('\n');
  return structuredContent === undefined ? '' : JSON.stringify(structuredContent);
}

function partText(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}: ${part.mimeType}, ${byteLength(part.data)} bytes]`;
    case 'resource_link':
      return `[resource: ${part.uri}${part.description === undefined ? '' : ` (${part.description})`}]`;
    case 'resource': {
      const { resource } = part;
      if ('text' in resource) return `[resource: ${resource.uri}]\n${resource.text}`;
      const type = resource.mimeType ?? 'binary data';
      return `[resource: ${resource.uri}, ${type}, ${byteLength(resource.blob)} bytes]`;
    }
  }
}

function byteLength(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
