import type { Deletion } from '#pkg/admission';
import { isTrueAt, listAt, textAt } from '#pkg/object';

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

/** The attempt that a deletion under review is, should it be refused. */
export function attemptOf({ object, request: { userInfo, options } }: Deletion, now: number): Attempt {
  const { username, uid, groups } = userInfo;
  return {
    time: new Date(now).toISOString(),
    user: { username, ...(uid ? { uid } : {}), groups },
    uid: object.metadata.uid ?? '',
    propagationPolicy: options.propagationPolicy ?? 'Background',
  };
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

const MAX_ATTEMPTS = 10;

/** The attempts with one more, or undefined when it is known: the garbage collector asks again and again. */
export function withAttempt(attempts: readonly Attempt[], attempt: Attempt): readonly Attempt[] | undefined {
  const isSame = (known: Attempt): boolean =>
    known.uid === attempt.uid &&
    known.user.username === attempt.user.username &&
    known.propagationPolicy === attempt.propagationPolicy;
  if (attempts.some((known) => isSame(known) && known.vetoed === attempt.vetoed)) return undefined;
  return [...attempts.filter((known) => !isSame(known)), attempt].slice(-MAX_ATTEMPTS);
}
