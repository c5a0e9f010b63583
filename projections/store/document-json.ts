import { gunzipSync } from 'node:zlib';
import { prepareSeal, sealFrame } from '../frame/frame.ts';

/** The same for every document, so that it never makes two of them differ. */
const SEAL = prepareSeal('', () => false);
const GZIP = 0x8b1f;

/** What a stored document says, as if nothing were stale. @throws where the body is of a form that this code does not know */
export function documentJson(body: Buffer): unknown {
  const isFrame = body.length > 2 && body.readUInt16LE() === GZIP;
  return JSON.parse((isFrame ? gunzipSync(sealFrame(body, SEAL)) : body).toString());
}
