import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** The user `nobody` of Linux. */
const nobody = { uid: 65_534, gid: 65_534 }

/** Whether a test can run a program as another user: it needs root, and a Node that every user may run. */
export const canBeOtherUser =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ['-v'], { ...nobody, cwd: '/', env: {} }).status === 0

/** Runs a script in another user's Node until `end` or its own end. */
export function asOtherUser(script: string): { output: Promise<string>; child: ReturnType<typeof spawn>; end(): void } {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    ...nobody,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return { child, output: text(child.stdout), end: () => void child.kill('SIGKILL') }
}
