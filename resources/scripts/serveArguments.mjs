/** Arguments of `serve` on free ports, which prints its addresses as JSON. */
export const serveOnFreePorts = (dataDir) => [
  'serve',
  '--json',
  '--web-port',
  '0',
  '--api-port',
  '0',
  '--data-dir',
  dataDir,
]

/** The same with a sandbox in place of a service. */
export const serveWithSandbox = (dataDir) => [...serveOnFreePorts(dataDir), '--sandbox']
