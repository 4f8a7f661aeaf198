/** macOS executables, checked where no Mac is at hand: signature, and what putting the bundle in has changed. */
import { sectionChanges } from './unchanged.ts';
import { verifySignature, type Signature } from './signature.ts';

const FUSE = Buffer.from('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:0');

/** Throws unless `executable` is validly signed by nobody, and `node` in all but what was put in. */
export function verifyMacExecutable(executable: Buffer, node: Buffer): Signature {
  const signature = verifySignature(executable);
  if (!signature.isAdHoc) throw new Error('cannot ship a signature that claims to be of somebody');
  const changes = sectionChanges(withFuse(node), executable);
  if (changes.length > 0) throw new Error(`cannot ship what may crash: ${changes.join('; ')}`);
  return signature;
}

/** The one byte that tells Node to look for a program inside itself. */
function withFuse(node: Buffer): Buffer {
  const at = node.indexOf(FUSE);
  if (at < 0) throw new Error('cannot find the fuse of Node');
  const lit = Buffer.from(node);
  lit.write('1', at + FUSE.length - 1, 'latin1');
  return lit;
}

export { verifySignature, type Signature };
