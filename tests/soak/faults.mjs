// `npm run soak -- --faults [--seconds 9]`: a whole studio that can't write for that long. Each database in turn is locked by another
// program, then the disk is full, then no file descriptor is free. The process must survive, answer every request within 3 s and lose nothing.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { lockOf, Studio, smallDisk } from '../fault/helpers/studio.ts'
import { driveThrough, driveWithoutFiles, wrongs } from '../fault/helpers/writing.ts'

const bounds = { answeredMs: 3000, pauseMs: 250 }
const databases = ['studio', 'ledger', 'bodies', 'account']

/** The answers, such as `request 503: 12`, and the slowest. */
function summary({ answered, pauseMs }) {
  const counts = new Map()
  for (const { what, how } of answered) counts.set(`${what} ${how}`, (counts.get(`${what} ${how}`) ?? 0) + 1)
  const slowest = Math.max(...answered.map(({ ms }) => ms))
  const all = [...counts].map(([words, count]) => `${words}: ${count}`).sort()
  return `${all.join(', ')}; slowest ${Math.round(slowest)} ms, longest pause ${Math.round(pauseMs)} ms`
}

async function onFolder(dataDir, service, work, mostFiles) {
  const studio = await Studio.start(dataDir, service, mostFiles)
  try {
    const found = await work(studio)
    const code = await studio.stop()
    return code === 0 ? found : { ...found, wrong: [...found.wrong, `It ended with ${code}.`] }
  } finally {
    await studio.kill()
  }
}

const through = (dataDir, fault, lastsMs) => async (studio) => {
  const found = await driveThrough(studio, dataDir, fault, lastsMs)
  return { words: summary(found), wrong: wrongs(found, bounds) }
}

/** Runs all faults, one after another. Returns the exit code. */
export async function soakFaults({ seconds }) {
  // A fast computer sends more than 600 requests a minute, and would measure the wait for the service's limit instead.
  const service = await startSandbox({ port: 0, limits: { rpm: 1_000_000, rph: 1_000_000, rpd: 1_000_000 } })
  const folder = mkdtempSync(join(tmpdir(), 'studio-faults-'))
  let isGood = true
  const run = async (name, work) => {
    const { words, wrong } = await work()
    if (wrong.length > 0) isGood = false
    console.log(`${wrong.length === 0 ? 'ok  ' : 'OVER'} ${name.padEnd(24)} ${words}`)
    for (const one of wrong) console.log(`     ${one}`)
  }
  try {
    for (const name of databases) {
      const dataDir = mkdtempSync(join(folder, `${name}-`))
      await run(`${name} locked`, () =>
        onFolder(dataDir, service, through(dataDir, lockOf(dataDir, name), seconds * 1000)),
      )
    }
    const disk = smallDisk(32)
    if (disk) {
      try {
        await run('disk full', () => onFolder(disk.dataDir, service, through(disk.dataDir, disk.full, seconds * 1000)))
      } finally {
        disk.leave()
      }
    } else console.log('     disk full                left out: this user makes no file systems')
    const dataDir = mkdtempSync(join(folder, 'files-'))
    const withoutFiles = async (studio) => ({ words: '', wrong: await driveWithoutFiles(studio, seconds * 1000) })
    await run('no file descriptors', () => onFolder(dataDir, service, withoutFiles, 400))
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return isGood ? 0 : 1
}
