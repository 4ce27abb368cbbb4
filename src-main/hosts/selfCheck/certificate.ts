import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** One DER value: tag, length, content (ITU-T X.690, 8.1). Lengths below 64 KiB. */
function der(tag: number, ...parts: (Uint8Array | readonly number[] | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)))
  const { length } = body
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...head]), body])
}

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts)
const oid = (...bytes: number[]): Buffer => der(0x06, bytes)
const yes = der(0x01, [0xff])
const nameOf = (text: string): Buffer => sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, text))))
const timeOf = (ms: number): Buffer => der(0x17, `${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`)

/**
 * A self-signed certificate for one day before and after now, and its key, as PEM. Node can sign, but has no function for certificates, and
 * not every computer has openssl (RFC 5280, 4.1).
 * @param hosts DNS names and IPv4 addresses. The first is the subject.
 */
export function newCertificate(...hosts: [string, ...string[]]): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const name = nameOf(hosts[0])
  const names = hosts.map((host) => (isIP(host) ? der(0x87, host.split('.').map(Number)) : der(0x82, host)))
  const dayMs = 86_400_000
  const signed = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1], randomBytes(8)),
    ecdsaWithSha256,
    name,
    sequence(timeOf(Date.now() - dayMs), timeOf(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(oid(0x55, 0x1d, 0x13), yes, der(0x04, sequence(yes))),
        sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(...names))),
      ),
    ),
  )
  const whole = sequence(signed, ecdsaWithSha256, der(0x03, [0], sign('sha256', signed, privateKey)))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
