// The smoke test of the desktop application: starts it on an empty data folder as a person does, and looks at it from the outside, with
// the tools of the system. Needs a display, and an ordinary user, because Chromium's sandbox does not run as root.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { decode } from 'fast-png'
import { electronEnvironment } from '../resources/scripts/desktop.mjs'
import { root, say } from '../resources/scripts/ready.mjs'

/** How long each part of a start, and the end of all processes, may take, ms. */
const patienceMs = 60_000
const apiAddress = 'http://127.0.0.1:8787/v1/models'
/** Share of the screen that a new window changes at least. */
const leastShare = 0.1
/** Colours in the middle of a window with text. */
const leastColours = 10
const isWindows = process.platform === 'win32'

/** The local API answers 401 without an app key, whatever else listens there does not. */
const apiAnswers = () =>
  fetch(apiAddress).then(
    ({ status }) => status === 401,
    () => false,
  )

/** All processes as `{ pid, parent, command }`. */
function processes() {
  if (isWindows) {
    const script =
      'Get-CimInstance Win32_Process | Select-Object ProcessId, ParentProcessId, CommandLine | ConvertTo-Json -Compress'
    const listed = execFileSync('powershell', ['-NoProfile', '-Command', script], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
    return JSON.parse(listed).map(({ ProcessId, ParentProcessId, CommandLine }) => {
      return { pid: ProcessId, parent: ParentProcessId, command: CommandLine ?? '' }
    })
  }
  const listed = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return [...listed.matchAll(/^ *(\d+) +(\d+) +(\S+) +(.*)$/gm)]
    .filter(([, , , state]) => !state.startsWith('Z'))
    .map(([, pid, parent, , command]) => ({ pid: Number(pid), parent: Number(parent), command }))
}

/** The process and all that it started. */
function treeOf(pid) {
  const all = processes()
  const tree = all.filter((one) => one.pid === pid)
  for (const { pid: above } of tree) tree.push(...all.filter(({ parent }) => parent === above))
  return tree
}

/** Saves a picture of the screen with a tool of the system. */
function takeScreenshot(file) {
  if (process.platform === 'darwin') execFileSync('screencapture', ['-x', file])
  else if (isWindows) {
    const script = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing
      $screen = [System.Windows.Forms.Screen]::PrimaryScreen.Bounds
      $picture = New-Object System.Drawing.Bitmap $screen.Width, $screen.Height
      [System.Drawing.Graphics]::FromImage($picture).CopyFromScreen($screen.Location, [System.Drawing.Point]::Empty, $screen.Size)
      $picture.Save('${file}')`
    execFileSync('powershell', ['-NoProfile', '-Command', script])
  } else if (process.env.WAYLAND_DISPLAY) {
    // It names its file by the time, in the current folder.
    const folder = mkdtempSync(join(tmpdir(), 'studio-screen-'))
    execFileSync('weston-screenshooter', { cwd: folder })
    renameSync(join(folder, readdirSync(folder)[0]), file)
    rmSync(folder, { recursive: true })
  } else execFileSync('import', ['-window', 'root', `png24:${file}`])
}

/** Whether two pictures of the screen differ by a window with content. A window that stays white is one colour in the middle. */
function showWindow(before, after) {
  const [one, other] = [before, after].map((file) => decode(readFileSync(file)))
  const { width, height, channels } = other
  if (one.width !== width || one.height !== height || one.channels !== channels) return false
  let changed = 0
  const colours = new Set()
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const at = pixel * channels
    const colour = other.data.subarray(at, at + 3)
    if (colour.every((value, part) => value === one.data[at + part])) continue
    changed += 1
    const isInMiddle = [pixel % width, Math.floor(pixel / width)].every((place, axis) => {
      const size = axis === 0 ? width : height
      return place > size / 4 && place < (size * 3) / 4
    })
    if (isInMiddle) colours.add(colour.join())
  }
  return changed / (width * height) >= leastShare && colours.size >= leastColours
}

/** @throws Error when no process of a page, or one without a sandbox, is in the tree of a program */
function requireSandboxes(tree) {
  const commands = tree.map(({ command }) => command)
  if (!commands.some((command) => command.includes('--type=renderer')))
    throw new Error(`No process of a page was found:\n${commands.join('\n')}`)
  const open = commands.filter((command) => /(^|\s)--no-sandbox(\s|$)/.test(command))
  if (open.length > 0) throw new Error(`Processes without a sandbox:\n${open.join('\n')}`)
}

/** @throws Error when processes of the tree still run after a while */
async function requireEnd(tree) {
  const left = () => {
    const now = new Set(processes().map(({ pid, command }) => `${pid} ${command}`))
    return tree.map(({ pid, command }) => `${pid} ${command}`).filter((one) => now.has(one))
  }
  const end = performance.now() + patienceMs
  while (left().length > 0 && performance.now() < end) await pause(200)
  if (left().length > 0)
    throw new Error(`The program has ended, and these processes of it still ran:\n${left().join('\n')}`)
}

/**
 * Starts `program` and waits for its window on the screen and its local API, looks at the command lines of its processes, and ends it as
 * Ctrl+C does. Saves a picture of the screen as test-results/smoke-NAME.png. Prints each step.
 * @throws Error when a step fails, with the last output of the program
 */
export async function smokeTest(name, program, args) {
  if (await apiAnswers()) throw new Error(`Another Inference Studio has the port of ${apiAddress}. Quit it first.`)
  const folder = mkdtempSync(join(tmpdir(), 'studio-smoke-'))
  const results = join(root, 'test-results')
  mkdirSync(results, { recursive: true })
  const before = join(folder, 'before.png')
  const after = join(results, `smoke-${name}.png`)
  takeScreenshot(before)

  const mark = join(folder, 'started')
  const env = {
    ...electronEnvironment(),
    INFERENCE_STUDIO_DATA_DIR: join(folder, 'data'),
    INFERENCE_STUDIO_STARTED_FILE: mark,
  }
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes
    })
  }
  const ended = once(child, 'close')
  ended.catch(() => undefined)

  async function until(what, isTrue) {
    const end = performance.now() + patienceMs
    while (!(await isTrue())) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The program has ended with ${child.exitCode ?? child.signalCode}.`)
      if (performance.now() > end) throw new Error(`${what} did not come within ${patienceMs / 1000} s.`)
      await pause(200)
    }
    say(`${name}: ${what} is there.`)
  }
  let tree = []
  try {
    await until('the first paint of the window', () => existsSync(mark))
    await until('the local API', apiAnswers)
    const isOnScreen = () => {
      takeScreenshot(after)
      return showWindow(before, after)
    }
    if (process.platform === 'linux') await until('a window with content on the screen', isOnScreen)
    // macOS may show no other program's window to a program without its permission.
    else say(`${name}: the screen ${isOnScreen() ? 'shows the window' : 'shows no window'} (${after}).`)

    tree = treeOf(child.pid)
    requireSandboxes(tree)
    say(`${name}: none of ${tree.length} processes has --no-sandbox.`)

    // Windows knows no signals, and ends single processes only.
    if (isWindows) spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'])
    else child.kill('SIGINT')
    const [code, signal] = await Promise.race([ended, pause(patienceMs, ['nothing'], { ref: false })])
    if (!isWindows && code !== 0) throw new Error(`The program ended with ${code ?? signal} after SIGINT.`)
    await requireEnd(tree)
    say(`${name}: it has ended, with all of its processes.`)
  } catch (thrown) {
    for (const { pid } of [...tree, ...treeOf(child.pid)]) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    throw new Error(`${name}: ${thrown.message}\n${output.slice(-4000)}`, { cause: thrown })
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
