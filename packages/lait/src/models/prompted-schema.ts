import type { ChatMessage, ModelRequest } from '../kinds/services.js';
import type { ModelEntry, StructuredOutputMode } from '../plan/settings.js';

/** How the server of an entry is asked for a structured reply. Default `json_schema`. */
export function structuredOutputMode({ structured_output }: ModelEntry): StructuredOutputMode {
  return structured_output ?? 'json_schema';
}

/** Whether one of the entries asks for structured replies in words: then a reply may need repair. */
export function promptsSchema(entries: readonly ModelEntry[]): boolean {
  return entries.some((entry) => structuredOutputMode(entry) !== 'json_schema');
}

/** The messages of a request, with the schema in words behind the system prompt where the server takes no schema. */
export function promptedMessages(
  { messages, responseFormat }: ModelRequest,
  entry: ModelEntry,
): readonly ChatMessage[] {
  if (responseFormat === undefined || structuredOutputMode(entry) === 'json_schema') return messages;
  const instruction = [
    'Answer with one JSON value that fits this JSON Schema. Write nothing before or after it, and no code fence.',
    JSON.stringify(responseFormat.schema),
  ].join('\n\n');
  const [first, ...others] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${first.content}\n\n${instruction}` }, ...others]
    : [{ role: 'system', content: instruction }, ...messages];
}

/** What a model is told about a structured reply that cannot be used. */
export function repairMessages(text: string, problem: string): ChatMessage[] {
  return [
    { role: 'assistant', content: text },
    {
      role: 'user',
      content: `Your answer cannot be used: ${problem}\n\nAnswer again with the corrected JSON value and nothing else.`,
    },
  ];
}

/**
 * The JSON in a reply that should hold nothing else but does: what a model thought aloud is left out, then the content
 * of the only code fence counts, else what stands between the first bracket and the last. Text without brackets comes
 * back as it is.
 */
export function embeddedJson(text: string): string {
  const answer = text.replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i, '').trim();
  const fences = [...answer.matchAll(/^(`{3,})[^\n`]*\n([\s\S]*?)\n?\1[ \t]*$/gm)];
  if (fences.length === 1) return fences[0]![2]!.trim();
  const start = answer.search(/[[{]/);
  const end = Math.max(answer.lastIndexOf(']'), answer.lastIndexOf('}'));
  return start < 0 || end < start ? answer : answer.slice(start, end + 1);
}
