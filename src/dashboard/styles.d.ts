declare module '*.css';
declare module '*.css?inline' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: what Vite gives
  export default text;
}
