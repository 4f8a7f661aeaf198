import { fieldAt, numberAt, parseObject, textAt, type ResourceType } from '#pkg/object';
import { ApiError } from './api-error.ts';
import { completed } from './list-objects.ts';
import type { WatchEvent } from './watcher.ts';

const END_OF_INITIAL = 'k8s.io/initial-events-end';

const CHANGES: Readonly<Record<string, 'added' | 'modified' | 'deleted'>> = {
  ADDED: 'added',
  MODIFIED: 'modified',
  DELETED: 'deleted',
};

/** Reads one line of a watch. Throws an ApiError for what is no event. */
export function watchEventOf(line: unknown, type: ResourceType): WatchEvent {
  const word = textAt(line, 'type') ?? '';
  const value = fieldAt(line, 'object');
  const kind = CHANGES[word];
  if (kind) {
    const object = parseObject(completed(value, type));
    if (typeof object === 'string') throw unexpected(object);
    return { kind, object };
  }
  if (word === 'BOOKMARK') return bookmarkOf(value);
  if (word !== 'ERROR') throw unexpected(`an event of type "${word}"`);
  return {
    kind: 'error',
    status: numberAt(value, 'code') ?? 500,
    reason: textAt(value, 'reason') ?? '',
    message: textAt(value, 'message') ?? 'unknown',
    details: fieldAt(value, 'details'),
  };
}

function bookmarkOf(value: unknown): WatchEvent {
  const resourceVersion = textAt(value, 'metadata', 'resourceVersion');
  if (!resourceVersion) throw unexpected('a bookmark without resourceVersion');
  const isEndOfInitial = textAt(value, 'metadata', 'annotations', END_OF_INITIAL) === 'true';
  return { kind: 'bookmark', resourceVersion, isEndOfInitial };
}

function unexpected(what: string): ApiError {
  return new ApiError(`Server returned an unexpected response: ${what}`, { status: 200, reason: '' });
}
