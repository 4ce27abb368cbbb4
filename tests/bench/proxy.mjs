// The local /v1 beside its peers in one run: cost, added time, lost bytes, and how soon it closes connections.
import { arch, cpus, release, totalmem } from 'node:os'
import { cancelPart, cancelRows, reportCancel } from './cancel.mjs'
import { loadPart, loadRows, reportLoad } from './load.mjs'
import { loggingPart, reportLogging } from './logging.mjs'
import { peerNames, startFarEnd, startPeers } from './peers.mjs'
import { reportStreams, streamRows, streamsPart } from './streams.mjs'
import { reportUploads, uploadRows, uploadsPart } from './uploads.mjs'

const parts = {
  load: { measure: (peers, _far, options) => loadPart(peers, options), report: reportLoad, rows: loadRows },
  logging: { measure: loggingPart, report: reportLogging, rows: () => [] },
  streams: { measure: streamsPart, report: reportStreams, rows: streamRows },
  cancel: { measure: cancelPart, report: reportCancel, rows: cancelRows },
  uploads: { measure: uploadsPart, report: reportUploads, rows: uploadRows },
}
/** Values of `--only`: parts and peers. The direct connection, the bare relay and the studio are always included. */
export const proxyNames = [...Object.keys(parts), ...peerNames]

/** The measured table, as Markdown. */
function table(peers, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  const processor = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}`
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  return [
    `Measured on ${processor} (${arch()}, ${memory}), Linux ${release()}, Node ${process.version}; all in one run, in turn.`,
    '',
    line(['', ...peers.map(({ words }) => words)]),
    line(['---', ...peers.map(() => '---:')]),
    ...rows.map(([words, cell]) => line([words, ...peers.map(cell)])),
  ].join('\n')
}

/** @param options.quick shorter rounds with rough results; published figures need the long rounds */
export async function proxyBench(report, { quick = false, only = [] } = {}) {
  const far = await startFarEnd()
  const peers = await startPeers(
    far,
    only.filter((name) => peerNames.includes(name)),
  )
  const asked = only.filter((name) => name in parts)
  const rows = []
  for (const name of asked.length ? asked : Object.keys(parts)) {
    const part = parts[name]
    const figures = await part.measure(peers, far, { quick })
    part.report(report, figures)
    rows.push(...part.rows(figures))
  }
  console.log(`\n${table(peers, rows)}`)
  await Promise.all(peers.map(({ stop }) => stop()))
  await far.stop()
}
