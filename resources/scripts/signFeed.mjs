// `node resources/scripts/signFeed.mjs dist`: writes a signature beside each update feed file (latest*.yml) of a folder.
// The private key is in the variable INFERENCE_STUDIO_UPDATE_KEY (base64 of PKCS #8). `--new-key` prints a pair instead. See docs/releasing.md.
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder] = process.argv.slice(2)
if (folder === '--new-key') {
  const pair = generateKeyPairSync('ed25519')
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const privateKey = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  console.log(`publicKey for resources/package/publisher.json: ${publicKey}`)
  console.log(`INFERENCE_STUDIO_UPDATE_KEY (secret): ${privateKey}`)
} else {
  const secret = process.env.INFERENCE_STUDIO_UPDATE_KEY
  if (!folder || !secret) {
    console.error('Name the folder of the packages, and set INFERENCE_STUDIO_UPDATE_KEY.')
    process.exit(2)
  }
  const key = createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' })
  const feeds = readdirSync(folder).filter((name) => /^latest.*\.yml$/.test(name))
  if (feeds.length === 0) {
    console.error(
      `${folder} has no latest*.yml: without "updates" in resources/package/publisher.json, no feed is written.`,
    )
    process.exit(1)
  }
  for (const name of feeds) {
    writeFileSync(join(folder, `${name}.sig`), sign(null, readFileSync(join(folder, name)), key).toString('base64'))
    console.log(`signed ${name}`)
  }
}
