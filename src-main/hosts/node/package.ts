import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { StudioError } from '../../core/errors.ts'

const manifest = z.object({ name: z.literal('inference-studio'), version: z.string() })

/** Folder and version of this package. Searches upwards for package.json, because sources and bundle are at different depths. */
export function ownPackage(): { folder: string; version: string } {
  let folder = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) {
      const parsed = manifest.safeParse(JSON.parse(readFileSync(file, 'utf8')))
      if (parsed.success) return { folder, version: parsed.data.version }
    }
    const above = dirname(folder)
    if (above === folder) throw new StudioError('bug', 'The package.json of Inference Studio is missing.')
    folder = above
  }
}

/** Folder of the built page. */
export const pageFolder = (): string => join(ownPackage().folder, 'out', 'renderer')
