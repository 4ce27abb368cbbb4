// Converts PDFs on the worker thread and prints the times as JSON. The first argument is the number of rounds.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DocumentConversion } from '../../src-main/core/features/documents/conversion.ts'
import { forkNode } from '../../src-main/hosts/node/forkNode.ts'
import { plainPdf } from '../core/features/documents/corpus.ts'

const rounds = Number(process.argv[2] ?? 3)
const folder = mkdtempSync(join(tmpdir(), 'studio-bench-documents-'))
const by = new DocumentConversion(forkNode)

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Seconds of pdftotext, or null where it is not installed. */
function peer(path: string): number | null {
  const start = performance.now()
  try {
    execFileSync('pdftotext', [path, join(folder, 'out.txt')], { stdio: 'ignore' })
  } catch {
    return null
  }
  return (performance.now() - start) / 1000
}

const spentMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

async function measure(name: string, pages: number, bytes: Buffer) {
  const path = join(folder, 'file.pdf')
  writeFileSync(path, bytes)
  const own: number[] = []
  const peers: number[] = []
  let longestMs = 0
  for (let round = 0; round < rounds; round += 1) {
    let last = spentMs()
    const timer = setInterval(() => {
      const now = spentMs()
      longestMs = Math.max(longestMs, now - last)
      last = now
    }, 1)
    const start = performance.now()
    await by.convert({ path, name: 'file.pdf' }, () => undefined)
    own.push((performance.now() - start) / 1000)
    clearInterval(timer)
    const other = peer(path)
    if (other !== null) peers.push(other)
  }
  return { name, pages, seconds: median(own), peerSeconds: peers.length === 0 ? null : median(peers), longestMs }
}

try {
  const warm = join(folder, 'warm.pdf')
  writeFileSync(warm, plainPdf(1, 1))
  await by.convert({ path: warm, name: 'warm.pdf' }, () => undefined)
  const results = [
    await measure('PDF of 1,000 pages of text, 3 MB', 1000, plainPdf(1000, 60)),
    await measure('PDF of 200 pages with pictures, 50 MB', 200, plainPdf(200, 50, 250_000)),
  ]
  console.log(JSON.stringify(results))
} finally {
  await by.close()
  rmSync(folder, { recursive: true, force: true })
}
