import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const module = fileURLToPath(new URL('../../src-main/hosts/lastResort.ts', import.meta.url))

/** A process that uses `logUncaught`. An error is thrown and not caught; afterwards the process reports that it continues. */
const program = (failure: string, log: string): string => `
  import { logUncaught } from ${JSON.stringify(module)}
  logUncaught(${log})
  ${failure}
  setTimeout(() => console.log('still here'), 50)
`
const toStdout = "(level, line) => console.log(level + ' ' + line)"

it.each([
  ['a promise that nobody waits for', "Promise.reject(new Error('Rejected'))", 'Rejected'],
  ['a rejection that is no error', "Promise.reject('only words')", 'only words'],
  ['a timer', "setTimeout(() => { throw new Error('In a timer') })", 'In a timer'],
  ['a listener', "process.nextTick(() => { throw new Error('In a listener') })", 'In a listener'],
])('the process continues after %s has failed, and the log has the message', (_, failure, words) => {
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program(failure, toStdout)], {
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  expect(stdout).toContain(`error `)
  expect(stdout).toContain(words)
  expect(stdout).toContain('still here')
})

it('the process continues when even the log fails', () => {
  const failing = "() => { throw new Error('The log fails') }"
  const script = program("Promise.reject(new Error('Rejected'))", failing)
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect([status, stdout.trim()]).toEqual([0, 'still here'])
})

it('the reader of standard error ends: nothing is logged about that, so that the log does not fill itself', async () => {
  const script = `
    import { logUncaught } from ${JSON.stringify(module)}
    let logged = 0
    logUncaught((level, line) => {
      logged++
      process.stderr.write(line)
    })
    process.stdin.once('data', () => {
      process.stderr.write('nobody reads this')
      setTimeout(() => {
        console.log(logged)
        process.exit()
      }, 50)
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  child.stderr.destroy()
  child.stdin.end('go')
  expect(await text(child.stdout)).toBe('0\n')
})
