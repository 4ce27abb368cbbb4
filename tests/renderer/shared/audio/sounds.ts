import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../helpers/folders.ts'

/** The MIME type of each kind, and ffmpeg's arguments to create it. */
export const kinds: Record<string, { mime: string; args: string[] }> = {
  mp3: { mime: 'audio/mpeg', args: ['-b:a', '64k'] },
  opus: { mime: 'audio/ogg', args: ['-f', 'ogg', '-c:a', 'libopus', '-b:a', '32k'] },
  aac: { mime: 'audio/aac', args: ['-f', 'adts'] },
  flac: { mime: 'audio/flac', args: [] },
  wav: { mime: 'audio/wav', args: [] },
  pcm: { mime: 'audio/pcm', args: ['-f', 's16le'] },
  webm: { mime: 'audio/webm', args: ['-c:a', 'libopus', '-b:a', '32k'] },
  m4a: { mime: 'audio/mp4', args: ['-c:a', 'aac'] },
}

/** Files with `seconds` of a tone whose second half is a tenth as loud as its first. Named `tone.KIND`. */
export function makeSounds(seconds: number, which: readonly string[] = Object.keys(kinds)) {
  const folder = temporaryFolder('studio-tones-')
  const source = `aevalsrc='if(lt(t,${seconds / 2}),0.8,0.08)*sin(2*PI*440*t)':s=24000:d=${seconds}`
  for (const kind of which) {
    const args = [
      '-v',
      'error',
      '-y',
      '-f',
      'lavfi',
      '-i',
      source,
      ...(kinds[kind]?.args ?? []),
      join(folder, `tone.${kind}`),
    ]
    execFileSync('ffmpeg', args)
  }
  return {
    folder,
    kept: (id: string): { path: string; mime: string } | null => {
      const kind = kinds[id.split('.')[1] ?? '']
      return kind && id.startsWith('tone.') ? { path: join(folder, id), mime: kind.mime } : null
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
