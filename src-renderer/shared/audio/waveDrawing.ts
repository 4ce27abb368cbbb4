import WaveSurfer from 'wavesurfer.js'

export interface WaveDrawing {
  /** Shows `heights` (0 to 1) over `seconds` of time. */
  show(heights: Float32Array, seconds: number): void
  setColours(colours: { wave: string; played: string }): void
  close(): void
}

/**
 * Draws a waveform that follows `audio` during playback.
 * wavesurfer.js puts its styles into a <style> of its shadow root, which the content security policy forbids. Style sheets apply only
 * inside a document, so the element is created outside of the document. Its rules are copied to a constructed style sheet, then the element
 * is inserted.
 */
export function drawWave(
  box: HTMLElement,
  audio: HTMLAudioElement,
  height: number,
  colours: { wave: string; played: string },
): WaveDrawing {
  const container = document.createElement('div')
  const wave = WaveSurfer.create({
    container,
    media: audio,
    height,
    barWidth: 2,
    barGap: 1,
    barRadius: 1,
    barMinHeight: 2,
    cursorWidth: 2,
    hideScrollbar: true,
    // The slider handles pointers and keys, because it knows the true duration.
    interact: false,
    dragToSeek: false,
    waveColor: colours.wave,
    progressColor: colours.played,
    cursorColor: colours.played,
  })
  for (const child of container.children) {
    const style = child.shadowRoot?.querySelector('style')
    if (!child.shadowRoot || !style) continue
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style.textContent ?? '')
    style.remove()
    child.shadowRoot.adoptedStyleSheets = [sheet]
  }
  box.append(container)
  let closed = false
  return {
    show(heights, seconds) {
      if (closed) return
      // The address that `audio` already plays, so that nothing is loaded twice. A replacement by a newer waveform is not an error.
      wave.load(audio.currentSrc || audio.src, [heights], seconds).catch(() => undefined)
    },
    setColours({ wave: waveColor, played }) {
      if (!closed) wave.setOptions({ waveColor, progressColor: played, cursorColor: played })
    },
    close() {
      closed = true
      wave.destroy()
      container.remove()
    },
  }
}
