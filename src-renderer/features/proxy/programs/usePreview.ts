import { useEffect, useState } from 'react'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { FilePreview } from '../../../../src-preload/contract/programs.ts'
import { problemOf } from '../../../api/problem.ts'

/** Reads what a change would do to a file, again for each other `subject`, and when the file may have changed. */
export function usePreview(read: (signal: AbortSignal) => Promise<FilePreview>, subject: string) {
  const [preview, setPreview] = useState<FilePreview | null>(null)
  const [unread, setUnread] = useState<Problem | null>(null)
  const [times, setTimes] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the subject says what is read
  useEffect(() => {
    const ended = new AbortController()
    setPreview(null)
    setUnread(null)
    read(ended.signal).then(
      (found) => ended.signal.aborted || setPreview(found),
      (thrown: unknown) => ended.signal.aborted || setUnread(problemOf(thrown)),
    )
    return () => ended.abort()
  }, [subject, times])
  return { preview, unread, readAgain: () => setTimes((before) => before + 1) }
}
