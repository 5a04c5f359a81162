/** The style of the page. Its hash is in the content security policy; a test compares them. */
export const style = `
:root{color-scheme:light dark;--text:light-dark(#1d2730,#dbe3ea);--soft:light-dark(#566774,#93a4b2);--ground:light-dark(#f6f8fa,#10171d);--panel:light-dark(#fff,#182129);--line:light-dark(#d8e0e6,#2b3742);--link:light-dark(#0b5f86,#6fc3e6);--good:light-dark(#1a7f4b,#5fd39a);--bad:light-dark(#b3261e,#ff9a91)}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--ground)}
a{color:var(--link)}
header,main{max-width:72rem;margin:0 auto;padding:1rem 1.25rem}
header{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:baseline}
h1{font-size:1.5rem;margin:0}
h2{font-size:1.05rem;margin:2rem 0 .6rem}
.soft{color:var(--soft)}
.good{color:var(--good)}
.bad{color:var(--bad)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.8rem;margin:0}
dl div{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:.7rem .9rem}
dt{color:var(--soft);font-size:.82rem}
dd{margin:0;font-size:1.45rem;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto;background:var(--panel);border:1px solid var(--line);border-radius:10px}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{position:absolute;left:-100vw}
th,td{text-align:left;padding:.35rem .9rem;border-bottom:1px solid var(--line);overflow-wrap:break-word}
tr:last-child td{border-bottom:0}
th{font-weight:500;color:var(--soft)}
.number{text-align:right;white-space:nowrap}
ul.words{list-style:none;padding:0;margin:0;display:flex;flex-wrap:wrap;gap:.4rem}
ul.words li{background:var(--panel);border:1px solid var(--line);border-radius:99px;padding:.1rem .7rem;font-size:.85rem}
pre{overflow-x:auto;background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:.7rem .9rem}
@media(max-width:40rem){th,td{padding:.35rem .5rem}}
`;

/** SHA-256 of the style, as Content-Security-Policy names it. */
export const styleHash = "sha256-nvVdP0ABNpJN2+iqUpDIyEZzK2xQdESJ9krcMegjdlg=";
