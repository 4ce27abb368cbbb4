import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Problem } from '../../src-preload/contract/problem.ts'
import { problemOf } from '../api/problem.ts'

/** Runs one call at a time, and ignores calls while another call runs. `problem` is the failure of the last call. */
export function useCall() {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const run = (call: () => Promise<unknown>): void => {
    if (busy) return
    setBusy(true)
    setProblem(null)
    call()
      .catch((thrown: unknown) => setProblem(problemOf(thrown)))
      .finally(() => setBusy(false))
  }
  return { busy, problem, run, clear: () => setProblem(null) }
}

/** Focuses the first field with an error after each check that found one. */
export function useFirstInvalid<T extends HTMLElement>(errors: object): RefObject<T | null> {
  const element = useRef<T>(null)
  useEffect(() => {
    if (Object.keys(errors).length > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [errors])
  return element
}
