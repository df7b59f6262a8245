/** Shorter values would mask ordinary words. */
export const minimumSecretLength = 4;
/** Shorter lines of a longer secret are no secret by themselves, and shorter texts stand across words by chance. */
export const minimumPartLength = 8;

/**
 * The texts as which a secret may turn up, in lower case: itself, trimmed, each of its lines, each reversed; escaped as
 * JSON (also as ASCII and as Go does it), HTML, shell words, CSV and URLs; and in base64, base32 and
 * hexadecimal, of its bytes in any case and of its JSON. Source: field report FR-25.
 */
export function secretForms(secret: string): Set<string> {
  const forms = new Set<string>();
  const add = (form: string, minimum = minimumSecretLength) => {
    if (form.length >= minimum) forms.add(foldCase(form));
  };
  for (const plain of plainForms(secret)) {
    const escaped = escapedForms(plain);
    for (const form of escaped) add(form);
    for (const text of [
      plain,
      plain.toUpperCase(),
      plain.toLowerCase(),
      JSON.stringify(plain).slice(1, -1),
    ]) {
      const bytes = Buffer.from(text, 'utf8');
      const base64 = bytes.toString('base64');
      for (const form of [base64, encodeURIComponent(base64), bytes.toString('base64url')]) add(form);
      for (const form of [Buffer.from(base64).toString('base64'), bytes.toString('hex'), base32(bytes)])
        add(form);
      for (const form of base64Cores(bytes)) add(form, minimumPartLength);
    }
  }
  return forms;
}

/**
 * The text in lower case, each character by itself: of the same length, so that places in it are places in the text,
 * and the same whatever stands around it. Two letters are not like that by themselves: a dotted I gets longer, and what
 * a sigma becomes depends on its neighbours.
 */
export function foldCase(text: string): string {
  return text.replace(/[İΣς]/g, (letter) => (letter === 'İ' ? 'i' : 'σ')).toLowerCase();
}

function plainForms(secret: string): Set<string> {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length > 1 ? lines.filter((line) => line.length >= minimumPartLength) : [];
  const plain = new Set([secret, secret.trim(), ...parts]);
  for (const text of [...plain]) plain.add([...text].reverse().join(''));
  return plain;
}

function escapedForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [
    text,
    json,
    json.replace(/[^ -~]/g, codeUnit),
    json.replace(/[<>&]/g, codeUnit),
    ...['&#39;', '&apos;', '&#x27;', "'"].map((apostrophe) => html(text, apostrophe, '&quot;')),
    html(text, '&#39;', '&#34;'),
    text.replaceAll("'", "'\\''"),
    text.replaceAll('"', '""'),
    ...urlForms(text),
  ];
}

function codeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function html(text: string, apostrophe: string, quote: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': quote };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? apostrophe);
}

function urlForms(text: string): string[] {
  try {
    const encoded = encodeURIComponent(text);
    // RFC 3986 reserves five more characters; jq's @uri escapes them.
    const strict = encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
    return [encoded, strict, encoded.replaceAll('%20', '+'), encodeURI(text), encodeURIComponent(encoded)];
  } catch {
    // A lone surrogate has no URL form.
    return [];
  }
}

/** Base64 of the bytes wherever they begin inside a longer text: a key in `user:key`, for example. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    const whole = shifted.subarray(0, shifted.length - (shifted.length % 3)).toString('base64');
    const core = whole.slice(before === 0 ? 0 : 4);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const base32Letters = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648 without padding: what stands before the padding is secret enough. */
function base32(bytes: Buffer): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += base32Letters[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + base32Letters[(held << (5 - bits)) & 31];
}
