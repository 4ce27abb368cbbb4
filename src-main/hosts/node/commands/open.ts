import { openInBrowser } from '../browser.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, printJson, say } from '../output.ts'
import { pageOfRunning } from '../studio.ts'

interface OpenOptions {
  print: boolean
  dataDir?: string
  json: boolean
}

/** `open`: opens the page of the studio that `serve` runs, or prints an address of it that works once, within a minute. */
export async function openPage(options: OpenOptions): Promise<number> {
  const url = await pageOfRunning(findDataDir(options.dataDir))
  if (options.json) printJson({ url })
  else if (options.print) say(url)
  else await openInBrowser(url)
  return exitCodes.ok
}
