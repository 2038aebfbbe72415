<ul>
<?php foreach ($names as $name): ?>
  <li><?= $name ?></li>
<?php endforeach; ?>
</ul>
