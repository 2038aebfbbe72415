<h1>Hello</h1>
<?php if ($a): ?>
  <p>Bye</p>
<?php endif; ?>
