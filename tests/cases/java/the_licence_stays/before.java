// Copyright 2024 The Shop Authors
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
import java.util.List;
import java.util.Map;
