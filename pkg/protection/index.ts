/**
 * What every protection does alike, whatever its reasons are.
 *
 * Words: a *mark* is a label of ours on an object, which brings its deletion before the webhook. A refused deletion is an
 * *attempt*; once nothing stands against it, it may be *repeated*. A mark that several protections put on is *shared*.
 */
export { attemptOf, heededBy, isExpired, parseAttempts, withAttempt, type Attempt } from './attempt.ts';
export { isDefined } from './defined.ts';
export { hasMark, IN_USE_LABEL, mark, unmark, type MarkPorts } from './marks.ts';
export { isPatient } from './patient.ts';
export { attemptToRepeat, repeatDeletion, type RepeatPorts, type Repeated } from './repeat.ts';
export { SharedMark, type Wants } from './shared-mark.ts';
export { markSweeper } from './sweep.ts';
export { Turns } from './turns.ts';
