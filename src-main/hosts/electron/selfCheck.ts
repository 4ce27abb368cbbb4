import { join } from 'node:path'
import { RPCHandler } from '@orpc/server/message-port'
import { app, BrowserWindow, ipcMain, nativeImage, protocol, session } from 'electron'
import * as z from 'zod'
import { speak } from '../../../src-renderer/i18n/cli.ts'
import type { Core } from '../../core/core.ts'
import type { ForkProgram } from '../../core/shared/processWorker.ts'
import { createKeychain } from '../keychain.ts'
import { wantedLanguages } from '../node/language.ts'
import { openOutput } from '../node/output.ts'
import { type CheckedPage, mustBe, type OpenParts } from '../selfCheck/checks.ts'
import { usualWait } from '../selfCheck/ownRun.ts'
import type { Check } from '../selfCheck/run.ts'
import { hostOfCheck, newCheckFolder, selfCheck as runSelfCheck } from '../selfCheck/selfCheck.ts'
import { words } from '../selfCheck/words.ts'
import { ownPage } from './address.ts'
import type { CallingPage } from './desktopRouter.ts'
import { GivenFiles } from './givenFiles.ts'
import { blockNavigation } from './navigation.ts'
import { awaitReader, PacedPort } from './pacedPort.ts'
import { guardNetwork, guardPermissions } from './permissions.ts'
import { givePorts } from './port.ts'
import { servePage } from './protocol.ts'
import { applySpelling } from './spelling.ts'
import { trayImage } from './tray.ts'
import { webPreferences } from './window.ts'

/** What the check needs of the program. */
interface DesktopParts {
  /** Folder `out`. */
  built: string
  resources: string
  fork: ForkProgram
  argv: readonly string[]
}

/**
 * `self-check` as the first argument of the desktop program: tries out every part of it in a temporary folder, without a visible window and
 * without the lock of the one running program, and exits. Call it before `ready`.
 */
export async function selfCheckAndExit({ built, resources, fork, argv }: DesktopParts): Promise<void> {
  const folder = newCheckFolder()
  app.setPath('userData', join(folder, 'desktop'))
  // Without a listener, closing the window of the check would quit with exit code 0.
  app.on('window-all-closed', () => undefined)
  openOutput()
  await speak(wantedLanguages(argv.slice(1)))
  await app.whenReady()
  app.dock?.hide()
  const code = await runSelfCheck(folder, {
    json: argv.includes('--json'),
    wait: waitIn(argv),
    checks: [iconCheck(resources)],
    parts: (dataDir) => ({
      host: {
        ...{ name: 'desktop', version: app.getVersion(), dataDir, secrets: createKeychain(), fork },
        ...hostOfCheck,
        log: (level, line) => void process.stderr.write(`${level} ${line}\n`),
      },
      certificates: join(built, 'main', 'certificates.js'),
      openPage: (core) => openPage(core, built),
    }),
  })
  app.exit(code)
}

/** Of `--wait=SECONDS`. Chromium's own switches have this form, so it takes no other. */
const waitIn = (argv: readonly string[]): number =>
  Number(argv.map((one) => /^--wait=(\d{1,4})$/.exec(one)?.[1]).find((one) => one !== undefined) ?? usualWait)

const iconCheck = (resources: string): Check<OpenParts> => ({
  name: 'icons',
  label: words('label.icons'),
  action: words('action.reinstall'),
  async run() {
    const icons = [
      trayImage(join(resources, 'icons')),
      nativeImage.createFromPath(join(resources, 'package', 'icons', '256x256.png')),
    ]
    mustBe(
      icons.every((icon) => !icon.isEmpty()),
      words('failed.icons'),
    )
    return words('seen.icons')
  },
})

/** The page in a window that is never shown, served and guarded as in the program. */
async function openPage(core: Core, built: string): Promise<CheckedPage> {
  const own = session.defaultSession
  applySpelling(own, false, [])
  guardPermissions(own)
  guardNetwork(own, false)
  servePage(protocol, join(built, 'renderer'), {
    ...{ core: async () => core, opening: () => null, given: new GivenFiles() },
  })
  const handler = new RPCHandler<CallingPage>(core.router, { experimental_transfer: awaitReader })
  const acknowledged = Promise.withResolvers<void>()
  givePorts(ipcMain, (port, contents) => {
    // The page answers each message that it has read with a number (pacedPort.ts).
    port.on('message', ({ data }) => void (typeof data === 'number' && acknowledged.resolve()))
    handler.upgrade(new PacedPort(port), { context: { contents } })
  })
  const window = new BrowserWindow({
    show: false,
    webPreferences: webPreferences(join(built, 'preload', 'preload.cjs'), false),
  })
  blockNavigation(window.webContents)
  await window.loadURL(ownPage)
  const inPage = (code: string): Promise<unknown> => window.webContents.executeJavaScript(code)
  return {
    async request(path, headers = {}) {
      const reply = await inPage(`(${fetchInPage})(${JSON.stringify(path)}, ${JSON.stringify(headers)})`)
      const { body, ...parsed } = replyInPage.parse(reply)
      return { ...parsed, body: Buffer.from(body, 'latin1') }
    },
    async look() {
      const seen = z.object({ isDrawn: z.boolean(), hasRun: z.boolean() }).parse(await inPage(`(${lookInPage})()`))
      mustBe(!seen.hasRun, words('failed.scriptRuns'))
      mustBe(seen.isDrawn, words('failed.notDrawn'))
      return words('seen.drawn')
    },
    async call() {
      await acknowledged.promise
      return words('seen.messagePort')
    },
    close: () => window.destroy(),
  }
}

const replyInPage = z.object({ status: z.number(), headers: z.record(z.string(), z.string()), body: z.string() })

/** Runs in the page. The body is a text with one character per byte. */
const fetchInPage = `async (path, headers) => {
  const reply = await fetch(path, { headers })
  const bytes = new Uint8Array(await reply.arrayBuffer())
  let body = ''
  for (const byte of bytes) body += String.fromCharCode(byte)
  return { status: reply.status, headers: Object.fromEntries(reply.headers), body }
}`

/** Runs in the page, which draws itself after it has loaded. */
const lookInPage = `async () => {
  const script = document.createElement('script')
  script.textContent = 'window.checkHasRun = true'
  document.head.append(script)
  const isDrawn = () => document.getElementById('root')?.childElementCount > 0
  for (let tries = 0; tries < 200 && !isDrawn(); tries++) await new Promise((resolve) => setTimeout(resolve, 25))
  return { isDrawn: isDrawn(), hasRun: window.checkHasRun === true }
}`
