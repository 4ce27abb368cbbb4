import WaveSurfer from 'wavesurfer.js'

export interface WaveDrawing {
  /** Shows `heights` (0 to 1) over `seconds` of time. */
  show(heights: Float32Array, seconds: number): void
  setColours(colours: { wave: string; played: string }): void
  close(): void
}

/**
 * The picture of a sound, which follows `audio` as it plays.
 * wavesurfer.js puts its styles into a <style> of its shadow root, which the page's policy forbids. A style
 * sheet counts only where it stands in a document: so the picture is made outside of it, its rules become a sheet that is made by script,
 * and then it is put in.
 */
export function drawWave(
  box: HTMLElement,
  audio: HTMLAudioElement,
  height: number,
  colours: { wave: string; played: string },
): WaveDrawing {
  const stand = document.createElement('div')
  const wave = WaveSurfer.create({
    container: stand,
    media: audio,
    height,
    barWidth: 2,
    barGap: 1,
    barRadius: 1,
    barMinHeight: 2,
    cursorWidth: 2,
    hideScrollbar: true,
    // Pointers and keys are the slider's, which knows the true length.
    interact: false,
    dragToSeek: false,
    waveColor: colours.wave,
    progressColor: colours.played,
    cursorColor: colours.played,
  })
  for (const child of stand.children) {
    const style = child.shadowRoot?.querySelector('style')
    if (!child.shadowRoot || !style) continue
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style.textContent ?? '')
    style.remove()
    child.shadowRoot.adoptedStyleSheets = [sheet]
  }
  box.append(stand)
  let closed = false
  return {
    show(heights, seconds) {
      if (closed) return
      // The address it plays already, so that it draws and does not load. A newer picture in place of this one is no fault.
      wave.load(audio.currentSrc || audio.src, [heights], seconds).catch(() => undefined)
    },
    setColours({ wave: waveColor, played }) {
      if (!closed) wave.setOptions({ waveColor, progressColor: played, cursorColor: played })
    },
    close() {
      closed = true
      wave.destroy()
      stand.remove()
    },
  }
}
