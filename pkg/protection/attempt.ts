import type { Deletion } from '#pkg/admission';
import { isTrueAt, listAt, textAt } from '#pkg/object';
import { isPatient } from './patient.ts';

/** A deletion that was refused. */
export interface Attempt {
  readonly time: string;
  /** Who asked for it, in full: before it is repeated, the server is asked again whether they may. */
  readonly user: { readonly username: string; readonly uid?: string; readonly groups?: readonly string[] };
  /** Of the object that was to be deleted: another of the same name is not meant. */
  readonly uid: string;
  readonly propagationPolicy: string;
  /** Another protection refused it as well, and does not want it to be repeated. */
  readonly vetoed?: true;
}

/** The attempt that a deletion under review is, should it be refused; `isVetoed` by protections of another kind. */
export function attemptOf(
  { object, request: { userInfo, options } }: Deletion,
  isVetoed: boolean,
  now: number,
): Attempt {
  const { username, uid, groups } = userInfo;
  const attempt = {
    time: new Date(now).toISOString(),
    user: { username, ...(uid ? { uid } : {}), groups },
    uid: object.metadata.uid ?? '',
    propagationPolicy: options.propagationPolicy ?? 'Background',
  };
  return isVetoed ? vetoed(attempt) : attempt;
}

/**
 * The attempt as one of those that refused it keeps it. All must want it to be repeated: else it would depend on chance
 * who is released last.
 */
export function heededBy(others: readonly { readonly replayDeletion: boolean }[], attempt: Attempt): Attempt {
  return others.every(({ replayDeletion }) => replayDeletion) ? attempt : vetoed(attempt);
}

function vetoed(attempt: Attempt): Attempt {
  return isPatient(attempt.user) ? attempt : { ...attempt, vetoed: true };
}

/** The attempts that the status of a protection keeps. What is malformed reads as absent. */
export function parseAttempts(protection: unknown): readonly Attempt[] {
  return listAt(protection, 'status', 'attempts').flatMap(parsed);
}

function parsed(value: unknown): readonly Attempt[] {
  const username = textAt(value, 'user', 'username');
  const uid = textAt(value, 'uid');
  if (!username || !uid) return [];
  const userUid = textAt(value, 'user', 'uid');
  return [
    {
      time: textAt(value, 'time') ?? '',
      user: {
        username,
        ...(userUid ? { uid: userUid } : {}),
        groups: listAt(value, 'user', 'groups').filter((group) => typeof group === 'string'),
      },
      uid,
      propagationPolicy: textAt(value, 'propagationPolicy') ?? 'Background',
      ...(isTrueAt(value, 'vetoed') ? { vetoed: true } : {}),
    },
  ];
}

const HOUR_MS = 3_600_000;
const LIFETIME_MS = 24 * HOUR_MS;

/** What somebody asked for the day before, and not again since, may not be what he wants today. */
export function isExpired({ time, user }: Attempt, now: number): boolean {
  return !isPatient(user) && !(now - Date.parse(time) < LIFETIME_MS);
}

const MAX_ATTEMPTS = 10;

/**
 * The attempts with one more, or undefined when it is known: the garbage collector asks again and again. People who ask
 * again mean it still.
 */
export function withAttempt(attempts: readonly Attempt[], attempt: Attempt): readonly Attempt[] | undefined {
  const isSame = (known: Attempt): boolean =>
    known.uid === attempt.uid &&
    known.user.username === attempt.user.username &&
    known.propagationPolicy === attempt.propagationPolicy;
  const isRecent = (known: Attempt): boolean =>
    isPatient(attempt.user) || Date.parse(attempt.time) - Date.parse(known.time) < HOUR_MS;
  if (attempts.some((known) => isSame(known) && known.vetoed === attempt.vetoed && isRecent(known)))
    return undefined;
  return [...attempts.filter((known) => !isSame(known)), attempt].slice(-MAX_ATTEMPTS);
}
