declare module '@echogarden/fvad-wasm' {
  type Fvad = {
    _fvad_new(): number
    _fvad_free(handle: number): void
    _fvad_set_mode(handle: number, mode: number): number
    _fvad_set_sample_rate(handle: number, rate: number): number
    _fvad_process(handle: number, samples: number, count: number): number
    _malloc(bytes: number): number
    _free(pointer: number): void
    setValue(pointer: number, value: number, type: 'i16'): void
  }
  const load: () => Promise<Fvad>
  export default load
}
