// `node downloadElectron.mjs`: downloads Electron's binary into the cache of @electron/get, with progress, and unpacks it. A download may
// take any time. It ends when nothing has arrived for a while.
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, say } from './ready.mjs'

/** Longest silence of the server, ms. */
const silenceMs = Number(process.env.INFERENCE_STUDIO_DOWNLOAD_SILENCE_MS) || 20_000

const electronRequire = createRequire(join(root, 'node_modules', 'electron', 'install.js'))
const { version } = electronRequire('./package.json')
const { downloadArtifact } = await import(pathToFileURL(electronRequire.resolve('@electron/get')).href)

const silence = new AbortController()
const give = () => silence.abort(new Error(`the server sent nothing for ${silenceMs / 1000} s`))
let timer = setTimeout(give, silenceMs)

let shown = -1
/** Prints each tenth of the download once: a terminal and a log file can both show lines. */
function progress({ transferred, total }) {
  clearTimeout(timer)
  timer = setTimeout(give, silenceMs)
  const tenth = total ? Math.floor((transferred / total) * 10) : Math.floor(transferred / 10_000_000)
  if (tenth <= shown || transferred === 0) return
  shown = tenth
  const megabytes = (bytes) => (bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)
  say(`  ${megabytes(transferred)} MB${total ? ` of ${megabytes(total)} MB (${tenth * 10} %)` : ''}`)
}

/** As install.js decides: a Node for Intel on Apple silicon gets the faster binary. */
function architecture() {
  const asked = process.env.ELECTRON_INSTALL_ARCH || process.env.npm_config_arch
  if (asked || process.platform !== 'darwin' || process.arch !== 'x64') return asked || process.arch
  try {
    const isTranslated = execFileSync('sysctl', ['-in', 'sysctl.proc_translated'], { encoding: 'utf8' }).trim() === '1'
    return isTranslated ? 'arm64' : 'x64'
  } catch {
    return 'x64' // an older macOS, which does not know the name
  }
}

const arch = architecture()
say(`Downloading Electron ${version} (once) …`)
try {
  await downloadArtifact({
    ...{ version, artifactName: 'electron', platform: process.platform, arch },
    ...(process.env.electron_config_cache && { cacheRoot: process.env.electron_config_cache }),
    checksums: electronRequire('./checksums.json'),
    downloadOptions: { quiet: true, signal: silence.signal, getProgressCallback: progress },
  })
} catch (thrown) {
  const cause = thrown?.cause?.message ?? thrown?.cause?.code
  say(`The download failed: ${thrown.message}${cause ? ` (${cause})` : ''}.`)
  process.exit(1)
} finally {
  clearTimeout(timer)
}
// Finds the archive in the cache, and unpacks it.
process.env.npm_config_arch = arch
electronRequire('./install.js')
