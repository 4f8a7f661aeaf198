import { fieldAt } from '#pkg/object';
import { CephUnreadable } from './runner.ts';

/**
 * Readers for what a decision rests on: what is not there, or is of another type, is an error and never a default.
 * They name the path, so that a change of Ceph's answers is found at once.
 */

export function requiredNumber(value: unknown, ...path: readonly string[]): number {
  const found = fieldAt(value, ...path);
  if (typeof found === 'number') return found;
  throw new CephUnreadable(`no number at ${path.join('.')}`);
}

export function requiredText(value: unknown, ...path: readonly string[]): string {
  const found = fieldAt(value, ...path);
  if (typeof found === 'string') return found;
  throw new CephUnreadable(`no text at ${path.join('.')}`);
}

export function requiredList(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = path.length === 0 ? value : fieldAt(value, ...path);
  if (Array.isArray(found)) return found;
  throw new CephUnreadable(`no list at ${path.join('.') || 'the top'}`);
}

export function requiredNumbers(value: unknown, ...path: readonly string[]): readonly number[] {
  return requiredList(value, ...path).map((item) => {
    if (typeof item === 'number') return item;
    throw new CephUnreadable(`not only numbers at ${path.join('.')}`);
  });
}

export function requiredTexts(value: unknown, ...path: readonly string[]): readonly string[] {
  return requiredList(value, ...path).map((item) => {
    if (typeof item === 'string') return item;
    throw new CephUnreadable(`not only texts at ${path.join('.') || 'the top'}`);
  });
}

/** Some programs print log lines before their answer, on the same stream. */
export function parseAnswer(stdout: string): unknown {
  const text = stdout.trim();
  const whole = tryParse(text);
  if (whole !== undefined) return whole;
  const start = /^[[{]/m.exec(text)?.index;
  const rest = start === undefined ? undefined : tryParse(text.slice(start));
  if (rest !== undefined) return rest;
  throw new CephUnreadable(text === '' ? 'an empty answer' : 'an answer that is not JSON');
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
