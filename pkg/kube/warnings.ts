import type { IncomingMessage } from 'node:http';

const WARNING = /(\d{3}) \S+ "((?:[^"\\]|\\.)*)"/g;

/** The texts of an answer's `Warning:` headers that a server means for its users (code 299). */
export function warningsOf(answer: Pick<IncomingMessage, 'headersDistinct'>): readonly string[] {
  const headers = answer.headersDistinct['warning'] ?? [];
  return headers
    .flatMap((header) => [...header.matchAll(WARNING)])
    .filter(([, code]) => code === '299')
    .map(([, , text = '']) => text.replaceAll(/\\(.)/g, '$1'));
}
