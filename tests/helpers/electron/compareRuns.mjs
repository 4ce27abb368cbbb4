// Compares a run of the desktop suite on a real Electron with one on the replacement, by the status of each test.

/**
 * @param {Record<string, string>} real status of each test on Electron: `passed`, `failed`, `pending` (skipped)
 * @param {Record<string, string> | null} replaced the same on the replacement; null: it could not run without a Chromium
 */
export function compareRuns(real, replaced) {
  const names = Object.keys(real)
  const named = (status) => names.filter((name) => real[name] === status)
  return {
    passed: named('passed').length,
    failed: named('failed'),
    /** Tests of the replacement only, because their conditions can't be created with a real Electron. */
    onlyOnReplacement: names.filter((name) => real[name] === 'pending' && replaced?.[name] === 'passed'),
    /** Differences: tests that pass on the replacement and fail on Electron, or the other way round. */
    different: replaced
      ? names
          .filter((name) => ['passed', 'failed'].every((result) => [real[name], replaced[name]].includes(result)))
          .map((name) => ({ name, electron: real[name], replacement: replaced[name] }))
      : null,
  }
}

/** The comparison as text. */
export function describeRuns({ passed, failed, onlyOnReplacement, different }) {
  const list = (title, rows) => (rows.length > 0 ? [`${title}:`, ...rows.map((row) => `  ${row}`)] : [])
  return [
    `On Electron: ${passed} passed, ${failed.length} failed. Only on the replacement: ${onlyOnReplacement.length}.`,
    ...list('Failed on Electron', failed),
    ...(different === null
      ? ['The replacement did not run, because no Chromium was found, so nothing was compared.']
      : different.length === 0
        ? ['No test differs between Electron and its replacement.']
        : list(
            'Different from the replacement',
            different.map(
              ({ name, electron, replacement }) => `${name} (Electron: ${electron}, replacement: ${replacement})`,
            ),
          )),
    ...list('Only on the replacement', onlyOnReplacement),
  ].join('\n')
}
