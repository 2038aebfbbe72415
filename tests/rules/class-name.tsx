const a = <div class="x" id="y"><p class={z}>class</p></div>;
const b = { class: 1 };
