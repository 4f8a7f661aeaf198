/**
 * Whether all is well: the server, the caller's rights, the installation, its webhook, Rook, and what was left behind.
 *
 * Words: a *check* looks at one thing; its *finding* is ok, a warning or a failure, and what is not ok comes with a hint.
 */
export { runChecks, type Check, type Checked, type CheckPorts, type Finding } from './check.ts';
export { allChecks, findPresent, preChecks } from './plan.ts';
